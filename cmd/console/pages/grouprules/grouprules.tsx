import { Suspense, useMemo, useState } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { RULES, TEST_CLAIMS } from '../../client/grouprules.js';
import { useMay } from '../../client/reviews.js';
import { lazyPart } from '../../shell/lazypart.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { CreateRule } from './createrule.js';

const TestClaims = lazyPart(() => import('./testclaims.js'), 'TestClaims');

/** The columns that are searched besides the name. */
const SEARCHED = ['Claim', 'Values', 'Team', 'Project'];

/** The rules by which claims of the identity provider give teams and roles. */
export function GroupRulesPage() {
  const texts = useTexts();
  const mayCreate = useMay({ verb: 'create', resource: RULES, namespace: '', name: '' });
  const mayTest = useMay(TEST_CLAIMS);
  const [testing, setTesting] = useState(false);
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <>
      <ListPage
        texts={texts.rules}
        resource={RULES}
        columns={columns}
        searched={SEARCHED}
        commands={LIST_COMMANDS.grouprules}
        more={mayTest && <Button onPress={() => setTesting(true)}>{texts.rules.test}</Button>}
        creating={mayCreate ? (onClose) => <CreateRule onClose={onClose} /> : undefined}
      />
      <Suspense fallback={null}>{testing && <TestClaims onClose={() => setTesting(false)} />}</Suspense>
    </>
  );
}

/** The list has room for five columns. */
const columnsOf = ({
  rules: { columns, gives, inTeam, roleIn },
  scope: { roles },
}: Texts): readonly Column<Row>[] => [
  objectColumn(RULES, columns.name),
  cellColumn(columns.values, 'Values', '1.5fr'),
  cellColumn(columns.claim, 'Claim'),
  {
    name: 'gives',
    label: gives,
    width: '2fr',
    cell: ({ cells: { Team: team = '', Project: project = '', Role: role = '' } }) =>
      team === '' ? roleIn(shortRole(role, roles), project) : inTeam(team),
    value: ({ cells: { Team: team = '', Project: project = '' } }) => team || project,
  },
  ageColumn(columns.age),
];
