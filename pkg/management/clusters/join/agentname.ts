/** The name of the User that the agent of a Cluster is. */
export const agentName = (cluster: string): string => `agent-${cluster}`;
