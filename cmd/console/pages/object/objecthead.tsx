import type { ObjectMeta } from '../../../../api/resource.js';
import { pathOf } from '../../client/paths.js';
import type { LiveState } from '../../live/livelist.js';
import { LiveNote } from '../../ui/livestate.js';
import { WhyNotDeleted } from './whynotdeleted.js';

export interface Props {
  readonly resource: string;
  readonly object: { readonly metadata: ObjectMeta; readonly description: string };
  readonly state: LiveState<unknown>;
  /** A namespace that goes with it; empty: none. */
  readonly holds?: string;
}

/** What every page of an object begins with. */
export function ObjectHead({ resource, object: { metadata, description }, state, holds = '' }: Props) {
  const { namespace = '', name = '' } = metadata;
  return (
    <>
      <p className="hint">{namespace === '' ? name : `${namespace} / ${name}`}</p>
      {description !== '' && <p>{description}</p>}
      <LiveNote state={state} />
      <WhyNotDeleted path={pathOf(resource, namespace, name)} {...{ resource, metadata, holds }} />
    </>
  );
}
