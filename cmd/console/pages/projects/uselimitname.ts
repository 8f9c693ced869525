import type { Limited } from '../../client/projectedits/quotas.js';
import { useTexts } from '../../texts/texts.js';

/** `instances`, `secretBytes`, or the resource. */
export const nameOf = ({ field, resource }: Limited): string => (field === 'objects' ? resource : field);

/** What people call what is limited; a resource has its own name. */
export function useLimitName(): (name: string) => string {
  const { projects, limits } = useTexts();
  return (name) =>
    name === 'instances' ? projects.instances : name === 'secretBytes' ? limits.secretBytes : name;
}
