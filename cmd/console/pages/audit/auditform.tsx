import { useState } from 'react';
import { FIELD_NAMES, FILTER_NAMES, type AuditFilters, type FilterName } from '../../client/auditfilters.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/fields/textfield.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import type { Suggestion } from '../../ui/suggest/suggestions.js';
import { useKinds, useObjectNames, useUserNames } from '../../ui/suggest/useoffers.js';
import { isoOf, LAST_LOCAL, localText } from '../../client/localtime.js';
import { NativeField, type FieldProps } from '../../ui/fields/nativefield.js';

export interface Props {
  readonly filters: AuditFilters;
  readonly onSearch: (filters: AuditFilters) => void;
  /** The server's errors about the filters. */
  readonly error: unknown;
}

/** The minimum width at which the filters are initially open. */
const WIDE = '(min-width: 44rem)';

export function AuditForm({ filters, onSearch, error }: Props) {
  const { audit: texts } = useTexts();
  const [typed, setTyped] = useState(filters);
  const [wide] = useState(() => window.matchMedia(WIDE).matches);
  const offers = useOffers(typed.resource ?? '');
  const set = (name: FilterName, value: string): void => setTyped({ ...typed, [name]: value });
  const search = (): void => {
    const given = FILTER_NAMES.map((name) => [name, (typed[name] ?? '').trim()] as const);
    onSearch(Object.fromEntries(given.filter(([, value]) => value !== '')));
  };
  return (
    <details className="filters" open={wide}>
      <summary>{texts.filters}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <div className="grid">
          {FIELD_NAMES.map((name) => {
            const shared = {
              label: texts.fields[name],
              value: typed[name] ?? '',
              errors: causesOf(error, `spec.${name}`),
              onChange: (value: string) => set(name, value),
            };
            const hinted = { ...shared, ...(texts.hints[name] !== undefined && { hint: texts.hints[name] }) };
            if (name === 'after' || name === 'before') return <TimeField key={name} {...shared} />;
            const suggestions = offers[name];
            return suggestions === undefined ? (
              <TextField key={name} {...hinted} />
            ) : (
              <SuggestField key={name} {...hinted} suggestions={suggestions} byTyping />
            );
          })}
        </div>
        <div className="actions">
          <Button type="submit" look="main">
            {texts.search}
          </Button>
          <Button
            onPress={() => {
              setTyped({});
              onSearch({});
            }}
          >
            {texts.clear}
          </Button>
        </div>
      </form>
    </details>
  );
}

const VERBS: readonly Suggestion[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'].map(
  (id) => ({ id, text: '' }),
);

/** What is offered while somebody types, as far as they may list it. */
function useOffers(resource: string): { readonly [Name in FilterName]?: readonly Suggestion[] } {
  return {
    user: useUserNames(),
    verb: VERBS,
    resource: useKinds(),
    name: useObjectNames(resource.trim()),
  };
}

interface TimeFieldProps extends FieldProps {
  /** RFC 3339; empty: none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A time in the time zone of the user, entered with the browser's own control. */
function TimeField({ value, onChange, ...field }: TimeFieldProps) {
  // A local time that does not exist, or exists twice, because of daylight saving time is shown as it was typed.
  const [typed, setTyped] = useState('');
  const shown = value !== '' && isoOf(typed) === value ? typed : localText(new Date(value));
  return (
    <NativeField {...field}>
      {(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          max={LAST_LOCAL}
          step="any"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(isoOf(target.value));
          }}
        />
      )}
    </NativeField>
  );
}
