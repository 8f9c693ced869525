import type { ObjectMeta } from '../../../api/resource.js';
import { changesOf } from '../client/edits/changes.js';
import { useTexts } from '../texts/texts.js';
import { Table } from './table.js';
import { Tags } from './tags.js';
import { When } from './when.js';

/** Who changed which field last. */
export function HistorySection({ metadata }: { readonly metadata: ObjectMeta }) {
  const { secrets: texts } = useTexts();
  const rows = changesOf(metadata).map(({ manager, time, fields }) => ({
    key: `${manager} ${time} ${fields.join()}`,
    cells: [manager, <When key="at" at={Date.parse(time)} />, <Tags key="fields" texts={fields} />],
  }));
  // Nobody is told of what the server made by itself.
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="history" className="listed">
      <h2 id="history">{texts.history}</h2>
      <Table labelledBy="history" heads={[texts.by, texts.when, texts.fields]} rows={rows} />
    </section>
  );
}
