import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { changeSpec } from '../../client/edits/undo.js';
import { RULES, type RuleView } from '../../client/grouprules.js';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { useTexts } from '../../texts/texts.js';
import { Facts } from '../../ui/facts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { linesOf } from '../../ui/names.js';
import { undoably } from '../../ui/undostore.js';
import { RuleFields } from './rulefields.js';

export interface Props {
  readonly rule: RuleView;
  readonly onClose: () => void;
}

/** Changes to whom a rule applies, on the version that is shown when the dialog opens. What it gives stays. */
export function EditRule({ rule, onClose }: Props) {
  const { rules: texts, scope, actions, undo } = useTexts();
  const [{ metadata, spec }] = useState(rule);
  const { name = '' } = metadata;
  const [typed, setTyped] = useState({ claim: spec.claim ?? 'groups', values: spec.values.join('\n') });
  const next = { claim: typed.claim.trim(), values: linesOf(typed.values) };
  const { team = '', project = '', clusterRole = '' } = spec;
  const gives = team === '' ? texts.roleIn(shortRole(clusterRole, scope.roles), project) : texts.inTeam(team);
  return (
    <FormDialog
      title={texts.edit(name)}
      action={actions.save}
      shown={['spec.claim', 'spec.values']}
      commands={[patchCommand(RULES, { name }, next)]}
      onClose={onClose}
      onSubmit={() => undoably(undo.rule(name), changeSpec(RULES, metadata, next))}
    >
      {(error) => (
        <>
          <RuleFields typed={typed} error={error} onChange={setTyped} />
          <Facts facts={[[texts.gives, gives]]} />
          <p className="hint">{texts.givesStays}</p>
        </>
      )}
    </FormDialog>
  );
}
