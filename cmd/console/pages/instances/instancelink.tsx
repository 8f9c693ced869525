import { Link } from '@tanstack/react-router';
import type { InstanceKind } from '../../client/instances.js';

export interface Props {
  readonly of: InstanceKind;
  readonly namespace: string;
  readonly name: string;
}

/** To the page of a space or a virtual cluster. */
export const InstanceLink = ({ of, namespace, name }: Props) =>
  of.kind === 'SpaceInstance' ? (
    <Link to="/spaces/$namespace/$name" params={{ namespace, name }} preload={false}>
      {name}
    </Link>
  ) : (
    <Link to="/virtualclusters/$namespace/$name" params={{ namespace, name }} preload={false}>
      {name}
    </Link>
  );
