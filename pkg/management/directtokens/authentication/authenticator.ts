import type { JWTPayload } from 'jose';
import { AUTHENTICATED } from '../../../authentication/groups.js';
import type { Identities, KnownTeam, KnownUser } from '../../people/identities/interface.js';
import { REFUSED, type Authenticator, type User } from '../../../authentication/interface.js';
import {
  issuedTokenAuthenticator,
  type TokenKind,
  type Verified,
} from '../../../authentication/issuedtoken/authenticator.js';
import type { TokenKeys } from '../../../authentication/issuedtoken/keys.js';
import { CLAIM, DIRECT_AUDIENCE, readDirectToken, scopedAudience, type DirectToken } from './token.js';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
/** The scope of a token, as JSON, for reviewers with {@link scopedAudience}. */
export const SCOPE_EXTRA = 'management.svc.example/scope';
/** Groups of this service, which it knows better than an earlier token. */
const OWN_GROUPS = 'management:';

export interface DirectTokenParts {
  readonly keys: TokenKeys;
  readonly identities: Identities;
  readonly madeWithEnd: TokenKind<DirectToken>['madeWithEnd'];
  /** Whether the token with this `jti` was revoked. */
  readonly isRevoked: (id: string) => boolean;
  /** Ms since 1970; absent: by the clock of this machine. */
  readonly now?: () => number;
}

/**
 * Tokens for connected clusters, which review them; never valid for this API. They end when they are revoked, with
 * their user, when the user is disabled, when the user's token generation grows, and with the access key that created
 * them. A token with a scope is only for reviewers that enforce scopes.
 */
export function directTokenAuthenticator({
  keys,
  identities,
  madeWithEnd,
  isRevoked,
  now,
}: DirectTokenParts): Authenticator {
  const kind: TokenKind<DirectToken> = {
    claim: CLAIM,
    madeWithEnd,
    read: (payload: JWTPayload) => readDirectToken(payload),
    authenticate(verified, asked) {
      if (isRevoked(verified.id)) return REFUSED;
      const { holder } = verified.content;
      const { kind, name, uid, generation, scope } = holder;
      const known = kind === 'User' ? identities.user(name) : identities.team(name);
      if (known === undefined || known.uid !== uid) return REFUSED;
      if (isUser(known) && (known.disabled || known.tokenGeneration > generation)) return REFUSED;
      const [own = ''] = verified.audiences;
      if (own !== DIRECT_AUDIENCE && !own.startsWith(`${DIRECT_AUDIENCE}/`)) return REFUSED;
      const may = scope === undefined ? own : scopedAudience(own);
      const audiences = verified.audiences.filter((each) => each === may && asked.includes(each));
      if (audiences.length === 0) return REFUSED;
      return { outcome: 'user', user: userOf(verified, known), audiences };
    },
  };
  return issuedTokenAuthenticator(keys, kind, now);
}

const isUser = (known: KnownUser | KnownTeam): known is KnownUser => 'tokenGeneration' in known;

function userOf({ content, id }: Verified<DirectToken>, known: KnownUser | KnownTeam): User {
  const { subject, groups, holder } = content;
  const still = groups.filter((group) => !group.startsWith(OWN_GROUPS) || known.groups.includes(group));
  return {
    name: subject,
    uid: holder.uid,
    groups: [...new Set([...still, AUTHENTICATED])],
    extra: {
      [CREDENTIAL_ID]: [`JTI=${id}`],
      ...(holder.scope !== undefined && { [SCOPE_EXTRA]: [JSON.stringify(holder.scope)] }),
    },
  };
}
