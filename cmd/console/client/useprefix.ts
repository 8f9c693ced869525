import { useEffect, useState } from 'react';
import { namespacePrefix } from './projects.js';

/** The prefix of the namespaces of projects; undefined until it is known. */
export function useNamespacePrefix(): string | undefined {
  const [prefix, setPrefix] = useState<string>();
  useEffect(() => {
    let left = false;
    namespacePrefix().then(
      (known) => left || setPrefix(known),
      () => undefined,
    );
    return () => void (left = true);
  }, []);
  return prefix;
}

/** The project of a namespace; empty if the namespace belongs to no project, or if that is not known yet. */
export const projectOf = (namespace: string, prefix: string | undefined): string =>
  prefix !== undefined && namespace.startsWith(prefix) ? namespace.slice(prefix.length) : '';
