import type { Client } from './connection/client.js';
import { PROJECT_PREFIX } from './nouns.js';
import { selfOf } from './self.js';

/** The namespace of a project: the server says how such are named. */
export async function projectNamespace(client: Client, project: string): Promise<string> {
  const { projectNamespacePrefix } = await selfOf(client);
  return (projectNamespacePrefix ?? PROJECT_PREFIX) + project;
}
