import { useQuery } from '@tanstack/react-query';
import { longestLife } from '../../client/accesskeys.js';
import type { NewPlace } from '../../client/newkeys/keyplace.js';
import { nearestOf, possibleLifetimes, secondsOf, type Lifetime } from '../../client/newkeys/keylifetimes.js';
import { ApiError } from '../../client/status.js';
import { useLanguage, useTexts } from '../../texts/texts.js';
import { exact } from '../../texts/times.js';
import { Choice } from '../../ui/fields/choice.js';
import { Fault } from '../../ui/fault.js';
import { useNow } from '../../ui/usenow.js';

const DAY = 86_400;

/** What the server lets a new key be now. */
export interface KeyLimits {
  /** Whether there may be such a key. False until the server has answered. */
  readonly possible: boolean;
  /** Whether the server is being asked. */
  readonly asking: boolean;
  /** The longest life, in seconds; undefined: it needs no end. */
  readonly most: number | undefined;
  /** Why there may be no such key. */
  readonly error: unknown;
}

/** `place`: of a key of a project. Nothing is asked before it names one and is `whole`. */
export function useKeyLimits(place: NewPlace | undefined, whole: boolean): KeyLimits {
  const { data, error, isFetching } = useQuery({
    queryKey: ['longest life', place],
    queryFn: async ({ signal }) => ({ most: await longestLife(place, signal) }),
    enabled: whole && place?.project !== '',
    retry: false,
    gcTime: 0,
  });
  const possible = data !== undefined;
  return { possible, asking: isFetching && !possible, most: data?.most, error };
}

export interface Props {
  readonly wanted: Lifetime;
  readonly limits: KeyLimits;
  readonly place: NewPlace | undefined;
  /** The server's errors about the life. */
  readonly errors: readonly string[];
  readonly onChange: (wanted: Lifetime) => void;
}

/** The lifetimes that are possible, until when the chosen one is, and why no longer one is offered. */
export function KeyLifetime({ wanted, limits: { possible, most, error }, place, errors, onChange }: Props) {
  const { keys: texts } = useTexts();
  const { language } = useLanguage();
  const now = useNow();
  if (place !== undefined && error instanceof ApiError && error.code === 403)
    return <p className="fault">{texts.notManaged}</p>;
  if (error !== null && error !== undefined) return <Fault error={error} />;
  if (!possible) return null;
  const offered = possibleLifetimes(most);
  const lifetime = nearestOf(wanted, offered);
  const seconds = secondsOf(lifetime) || most;
  const why =
    most === undefined
      ? []
      : [place === undefined ? texts.whyLogin : texts.whyProject(place.project, Math.floor(most / DAY))];
  const until = seconds === undefined ? [] : [texts.until(exact(now + seconds * 1000, language))];
  return (
    <Choice
      label={texts.lifetime}
      hint={[...until, ...why].join(' ')}
      value={lifetime}
      options={optionsOf(offered, texts.lifetimes)}
      onChange={onChange}
      errors={errors}
    />
  );
}

function optionsOf(
  offered: readonly Lifetime[],
  texts: Readonly<Record<Lifetime, string>>,
): Readonly<Record<Lifetime, string>> {
  // The options are those that are offered, and no other is chosen.
  return Object.fromEntries(offered.map((one) => [one, texts[one]])) as Record<Lifetime, string>;
}
