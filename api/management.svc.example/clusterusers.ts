/** The prefix of the users and groups of this service in connected clusters, unless an agent has another. */
export const USER_PREFIX = 'management:';
