import { useState } from 'react';
import { TEST_CLAIMS_COMMAND } from '../../client/commands/rulecommands.js';
import { givenByRules } from '../../../../api/management.svc.example/givenbyrules.js';
import { claimsIn } from '../../../../api/client/tokenclaims.js';
import { reviewClaims, type Answer } from '../../client/grouprules.js';
import type { Texts } from '../../texts/en.js';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/fields/textfield.js';
import { Table } from '../../ui/table.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { ObjectLink } from '../object/objectlink.js';

/** What would these claims get? A token that is pasted stays in the browser: its claims alone are sent. */
export function TestClaims({ onClose }: { readonly onClose: () => void }) {
  const { rules: texts, actions } = useTexts();
  const [typed, setTyped] = useState('');
  const [answered, setAnswered] = useState<{ readonly text: string; readonly answer: Answer }>();
  const claims = claimsIn(typed);
  const { submit, busy, error } = useSubmit(
    async () => ({ text: typed, answer: await reviewClaims(claims ?? {}) }),
    setAnswered,
    { again: true, disabled: claims === undefined },
  );
  const isWrong = typed.trim() !== '' && claims === undefined;
  return (
    <Dialog title={texts.test} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={texts.claims}
          hint={texts.claimsHint}
          value={typed}
          lines={8}
          mono
          autoFocus
          errors={isWrong ? [texts.claimsWrong] : []}
          onChange={setTyped}
        />
        <Fault error={error} />
        {/* Not of other claims than those that are there now. */}
        <div role="status">{answered?.text === typed && <Given answer={answered.answer} />}</div>
        <Commands lines={[TEST_CLAIMS_COMMAND]} />
        <div className="buttons">
          <Button onPress={onClose}>{actions.close}</Button>
          <Button look="main" type="submit" isDisabled={busy || claims === undefined}>
            {texts.testNow}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Given({ answer }: { readonly answer: Answer }) {
  const { notes = [], otherIssuer = [] } = answer;
  const given = givenByRules(answer);
  const { rules: texts, scope } = useTexts();
  const { columns } = texts;
  return (
    <>
      <h3 id="given">{given.length === 0 ? texts.givesNothing : texts.wouldGet}</h3>
      {given.length > 0 && (
        <Table
          labelledBy="given"
          heads={[texts.gives, texts.byRule, columns.claim]}
          rows={given.map((one) => ({
            key: JSON.stringify(one),
            cells: [
              whatIn(one, { rules: texts, scope }),
              <ObjectLink key="rule" resource="grouprules" name={one.rule ?? ''} />,
              `${one.claim}: ${one.value}`,
            ],
          }))}
        />
      )}
      {notes.map((note) => (
        <p key={note} className="notice stale">
          {note}
        </p>
      ))}
      {otherIssuer.length > 0 && <p className="hint">{texts.otherIssuer(otherIssuer.join(', '))}</p>}
    </>
  );
}

/** A role that a team has in a project stands beside the membership in the team. */
function whatIn(
  { team, project, clusterRole = '' }: NonNullable<Answer['given']>[number],
  { rules: { inTeam, roleIn }, scope }: Pick<Texts, 'rules' | 'scope'>,
): string {
  if (project === undefined) return inTeam(team ?? '');
  return (
    roleIn(shortRole(clusterRole, scope.roles), project) + (team === undefined ? '' : ` (${inTeam(team)})`)
  );
}
