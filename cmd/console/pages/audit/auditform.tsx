import { useState } from 'react';
import { FILTER_NAMES, type AuditFilters, type FilterName } from '../../client/audit.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/fields/textfield.js';
import { TimeField } from './timefield.js';

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
          {FILTER_NAMES.map((name) => {
            const shared = {
              label: texts.fields[name],
              value: typed[name] ?? '',
              errors: causesOf(error, `spec.${name}`),
              onChange: (value: string) => set(name, value),
            };
            const hint = texts.hints[name];
            return name === 'after' || name === 'before' ? (
              <TimeField key={name} {...shared} />
            ) : (
              <TextField key={name} {...shared} {...(hint !== undefined && { hint })} />
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
