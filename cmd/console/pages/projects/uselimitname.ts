import type { Limited } from '../../client/projectedits/quotas.js';
import { useTexts } from '../../texts/texts.js';

/** `instances`, `secretBytes`, or the resource. */
export const nameOf = ({ field, resource }: Limited): string => (field === 'objects' ? resource : field);

/** The label of a limit; a resource without a page in the console has its own name. */
export function useLimitName(): (name: string) => string {
  const { projects, limits } = useTexts();
  const known: Readonly<Record<string, string>> = projects.resources;
  return (name) => {
    if (name === 'instances') return projects.instances;
    if (name === 'secretBytes') return limits.secretBytes;
    const [resource = '', ...group] = name.split('.');
    return (group.join('.') === 'management.svc.example' ? known[resource] : undefined) ?? name;
  };
}
