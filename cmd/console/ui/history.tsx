import type { ObjectMeta } from '../../../api/resource.js';
import { changesOf } from '../client/edits/changes.js';
import { useTexts } from '../texts/texts.js';
import { Table } from './table.js';
import { Tags } from './tags.js';
import { When } from './when.js';

/** The last writer of each field. */
export function HistorySection({ metadata }: { readonly metadata: ObjectMeta }) {
  const { secrets: texts } = useTexts();
  const rows = changesOf(metadata).map(({ manager, time, fields }) => ({
    key: `${manager} ${time} ${fields.join()}`,
    cells: [manager, <When key="at" at={Date.parse(time)} />, <Tags key="fields" texts={fields} />],
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
