import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { grantsOf, withoutGrant, type Grant } from '../../client/access.js';
import { pathOf } from '../../client/paths.js';
import { changeSecret, type SecretView } from '../../client/secrets.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { undoably } from '../../ui/undostore.js';

/** The verbs, sorted, that each level of sharing gives. */
export const SHARED_VERBS = {
  read: ['get'],
  edit: ['get', 'patch', 'update'],
  spaces: ['sync'],
  all: ['*'],
} as const;
export type Level = keyof typeof SHARED_VERBS;
const LEVELS: readonly Level[] = ['read', 'edit', 'spaces', 'all'];

export interface SectionProps {
  readonly secret: SecretView;
  /** Whether the user may change it. */
  readonly mayChange: boolean;
}

/** The rights on a secret that its owner and its access rules give. Roles of the cluster may give further rights. */
export function AccessSection({ secret, mayChange }: SectionProps) {
  const texts = useTexts();
  const { namespace = '', name = '' } = secret.metadata;
  const [error, setError] = useState<unknown>();
  const revoke = (grant: Grant): void => {
    setError(undefined);
    const change = changeSecret(secret, { access: withoutGrant(secret.access, grant) });
    undoably(texts.undo.revoked(whoOf(grant, texts)), change).catch(setError);
  };
  return (
    <section aria-labelledby="access">
      <div className="section-head">
        <h2 id="access">{texts.secrets.access}</h2>
        <Link to="/whocan" search={{ path: pathOf(secret.resource, namespace, name), verb: 'get' }}>
          {texts.secrets.whoReads}
        </Link>
      </div>
      <Fault error={error} />
      <Grants grants={grantsOf(secret)} {...(mayChange && { onRevoke: revoke })} />
    </section>
  );
}

export interface GrantsProps {
  readonly grants: readonly Grant[];
  readonly onRevoke?: (grant: Grant) => void;
  /** The current grants; grants that are not among them are marked as new. */
  readonly before?: readonly Grant[];
}

const keyOf = ({ kind, name, verbs, owner }: Grant): string => `${kind}/${name}/${verbs.join()}/${owner}`;

const whoOf = ({ kind, name }: Grant, { secrets: { grantee } }: Texts): string =>
  name === '' ? grantee[kind] : `${grantee[kind]} ${name}`;

/** The level of sharing in words, or else the verbs. */
function rightsOf({ verbs }: Grant, { secrets }: Texts): string {
  const level = LEVELS.find((one) => SHARED_VERBS[one].join() === verbs.join());
  return level === undefined ? verbs.join(', ') : secrets.verbs[level];
}

export function Grants({ grants, onRevoke, before }: GrantsProps) {
  const texts = useTexts();
  const known = new Set(before?.map(keyOf));
  return (
    <ul className="grants">
      {grants.map((grant) => {
        const who = whoOf(grant, texts);
        return (
          <li key={keyOf(grant)} className="grant">
            <span className="who">{who}</span>
            <span>
              {grant.owner ? texts.secrets.owner : rightsOf(grant, texts)}
              {before !== undefined && !known.has(keyOf(grant)) && (
                <>
                  {' '}
                  <span className="badge">{texts.secrets.added}</span>
                </>
              )}
            </span>
            {onRevoke !== undefined && !grant.owner && (
              <Button look="quiet" aria-label={texts.secrets.revoke(who)} onPress={() => onRevoke(grant)}>
                {texts.actions.remove}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
