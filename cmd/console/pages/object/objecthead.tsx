import { Link } from '@tanstack/react-router';
import type { ObjectMeta } from '../../../../api/resource.js';
import { pathOf } from '../../client/paths.js';
import type { LiveState } from '../../live/livelist.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';
import { WhyNotDeleted } from './whynotdeleted.js';

export interface Props {
  readonly resource: string;
  readonly object: { readonly metadata: ObjectMeta; readonly description: string };
  readonly state: LiveState<unknown>;
  /** A namespace that is deleted with the object; empty: none. */
  readonly holds?: string;
}

/** The beginning of the page of an object. */
export function ObjectHead({ resource, object: { metadata, description }, state, holds = '' }: Props) {
  const { yaml, whoCan } = useTexts();
  const { namespace = '', name = '' } = metadata;
  const path = pathOf(resource, namespace, name);
  return (
    <>
      <div className="object-line">
        <p className="hint">{namespace === '' ? name : `${namespace} / ${name}`}</p>
        <Link to="/whocan" search={{ path }}>
          {whoCan.link}
        </Link>
        <Link to="/yaml" search={{ path }}>
          {yaml.link}
        </Link>
      </div>
      {description !== '' && <p>{description}</p>}
      <LiveNote state={state} />
      <WhyNotDeleted path={path} resource={resource} metadata={metadata} holds={holds} />
    </>
  );
}
