import type { ObjectMeta } from '../../../api/resource.js';
import { changesOf } from '../client/changes.js';
import { useTexts } from '../texts/texts.js';
import { When } from './when.js';

/** Who changed which field last. */
export function HistorySection({ metadata }: { readonly metadata: ObjectMeta }) {
  const texts = useTexts();
  return (
    <section aria-labelledby="history">
      <h2 id="history">{texts.secrets.history}</h2>
      <div className="scroll" tabIndex={0} role="group" aria-labelledby="history">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.secrets.by}</th>
              <th scope="col">{texts.secrets.when}</th>
              <th scope="col">{texts.secrets.fields}</th>
            </tr>
          </thead>
          <tbody>
            {changesOf(metadata).map(({ manager, time, fields }) => (
              <tr key={`${manager} ${time} ${fields.join()}`}>
                <td>{manager}</td>
                <td>
                  <When at={Date.parse(time)} />
                </td>
                <td>
                  {fields.map((field) => (
                    <code className="tag" key={field}>
                      {field}
                    </code>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
