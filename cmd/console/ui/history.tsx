import type { ObjectMeta } from '../../../api/resource.js';
import { changedBy } from '../client/edits/changedby.js';
import { changesOf } from '../client/edits/changes.js';
import { useTexts } from '../texts/texts.js';
import { Details } from './facts.js';
import { Table } from './table.js';
import { Tags } from './tags.js';
import { useChangers } from './usechangers.js';
import { When } from './when.js';

export interface Props {
  readonly resource: string;
  readonly metadata: ObjectMeta;
}

/** The last writer of each field: the person, where the audit log tells, and the program. */
export function HistorySection({ resource, metadata }: Props) {
  const { secrets: texts } = useTexts();
  const events = useChangers(resource, metadata);
  const rows = changesOf(metadata).map((change) => ({
    key: `${change.manager} ${change.time} ${change.fields.join()}`,
    cells: [
      <Writer key="by" person={changedBy(change, events)} program={change.manager} />,
      <When key="at" at={Date.parse(change.time)} />,
      <Details key="fields" title={texts.fieldCount(change.fields.length)}>
        <Tags texts={change.fields} />
      </Details>,
    ],
  }));
  // Objects that the server created by itself have no such writers.
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="history" className="listed">
      <h2 id="history">{texts.history}</h2>
      <Table labelledBy="history" heads={[texts.by, texts.when, texts.fields]} rows={rows} />
    </section>
  );
}

function Writer({ person, program }: { readonly person: string | undefined; readonly program: string }) {
  const { secrets: texts } = useTexts();
  if (person === undefined) return <span className="hint">{program}</span>;
  return (
    <>
      {person} <span className="hint">{texts.byProgram(program)}</span>
    </>
  );
}
