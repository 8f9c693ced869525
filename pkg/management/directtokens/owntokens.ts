/** Tokens by which this server itself is the user of an agent, in the cluster of that agent alone. They are not recorded. */
import { failure } from '../../apimachinery/errors.js';
import type { SignToken } from '../../authentication/issuedtoken/sign.js';
import type { Identities } from '../people/identities/interface.js';
import { directTokenContent } from './authentication/token.js';

const LIFE_SECONDS = 3_600;
/** Half of the life: an agent's clock may be wrong. */
const RENEWED_MS = (LIFE_SECONDS * 1_000) / 2;

interface Made {
  /** Whose it is, and of which generation. */
  readonly holder: string;
  readonly at: number;
  readonly token: Promise<string>;
}

/** `name`: of a User. Rejects with StatusError 403 if there is none, or they are disabled. */
export type OwnToken = (cluster: string, name: string) => Promise<string>;

/** `now`: ms since 1970. */
export function ownTokens(
  sign: SignToken,
  identities: Pick<Identities, 'user'>,
  now: () => number = Date.now,
): OwnToken {
  const made = new Map<string, Made>();
  return async (cluster, name) => {
    const user = identities.user(name);
    if (user === undefined || user.disabled)
      throw failure(
        'Forbidden',
        `the user of the agent of cluster "${cluster}" does not exist, or is disabled`,
        {},
      );
    const { uid, tokenGeneration: generation } = user;
    const holder = `${name} ${uid} ${generation}`;
    const known = made.get(cluster);
    if (known?.holder === holder && now() - known.at < RENEWED_MS) return known.token;
    const issuedAt = Math.floor(now() / 1_000);
    const content = directTokenContent({
      subject: name,
      groups: [],
      holder: { kind: 'User', name, uid, generation },
      cluster,
      madeWith: undefined,
      issuedAt,
      expiresAt: issuedAt + LIFE_SECONDS,
    });
    const token = sign(content).then((signed) => signed.token);
    made.set(cluster, { holder, at: now(), token });
    token.catch(() => made.delete(cluster));
    return token;
  };
}
