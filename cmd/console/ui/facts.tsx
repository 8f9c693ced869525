import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.js';

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

/** A fold for what only some look up, such as the names of fields in the API. */
export function Details({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  const { state } = useTexts();
  return (
    <details className="fold">
      <summary>{title ?? state.details}</summary>
      {children}
    </details>
  );
}
