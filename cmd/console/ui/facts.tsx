import type { ReactNode } from 'react';

/** Names and values. Names without a value are left out. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {facts.map(
      ([name, value]) =>
        value !== '' &&
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);
