import type { Row } from '../../client/forms.js';
import { useTexts } from '../../texts/texts.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { ObjectLink } from './objectlink.js';

/** A column with the names of objects, each a link to the page of the object. `resource`: absent: that of each row. */
export const objectColumn = (resource: string | undefined, label: string): Column<Row> => ({
  name: 'name',
  label,
  width: '1.6fr',
  cell: ({ resource: own, metadata: { namespace = '', name = '', deletionTimestamp } }) => (
    <>
      <ObjectLink resource={resource ?? own} namespace={namespace} name={name} />
      {deletionTimestamp !== undefined && <Deleted />}
    </>
  ),
  value: ({ metadata: { name = '' } }) => name,
});

function Deleted() {
  const { deletion } = useTexts();
  return <span className="badge ended">{deletion.deleting}</span>;
}
