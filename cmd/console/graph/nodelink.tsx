import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { placeOf } from '../client/edits/yamlobject.js';
import { ObjectLink, hasPage } from '../pages/object/objectlink.js';

export interface Props {
  /** The path of the object in the API; undefined: there is no link. */
  readonly path: string | undefined;
  readonly label: string;
  readonly children: ReactNode;
}

/** The content of a node, as a link to the page of its object, or to its YAML if it has no page. */
export function NodeLink({ path, label, children }: Props) {
  const place = path === undefined ? undefined : placeOf(path);
  if (place === undefined)
    return (
      <g role="img" aria-label={label}>
        {children}
      </g>
    );
  if (hasPage(place))
    return (
      <ObjectLink {...place} label={label}>
        {children}
      </ObjectLink>
    );
  return (
    <Link to="/yaml" search={{ path: place.path }} preload={false} aria-label={label}>
      {children}
    </Link>
  );
}
