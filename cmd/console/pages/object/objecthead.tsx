import { Link } from '@tanstack/react-router';
import type { ObjectMeta } from '../../../../api/resource.js';
import { READ_AUDIT } from '../../client/audit.js';
import { pathOf } from '../../client/paths.js';
import { USERS } from '../../client/people.js';
import { useMay, type Deed } from '../../client/reviews.js';
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

/** What the audit log has of an object, or of what a person did, for whoever may search it. */
function AuditLink({ resource, namespace, name }: Pick<Deed, 'resource' | 'namespace' | 'name'>) {
  const { audit: texts } = useTexts();
  if (!useMay(READ_AUDIT)) return null;
  const isPerson = resource === USERS;
  const of = isPerson ? { user: name } : { resource, ...(namespace !== '' && { namespace }), name };
  return (
    <Link to="/audit" search={{ about: 'All', ...of }}>
      {isPerson ? texts.ofPerson : texts.ofObject}
    </Link>
  );
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
        <AuditLink resource={resource} namespace={namespace} name={name} />
      </div>
      {description !== '' && <p>{description}</p>}
      <LiveNote state={state} />
      <WhyNotDeleted path={path} resource={resource} metadata={metadata} holds={holds} />
    </>
  );
}
