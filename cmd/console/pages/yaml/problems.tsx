import type { Problem } from '../../client/schema/problems.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';

export interface Props {
  readonly problems: readonly Problem[];
  readonly onGoTo: (problem: Problem) => void;
}

/** The errors of the text, by line. Screen readers are told the number of errors. */
export function Problems({ problems, onGoTo }: Props) {
  const { yaml: texts } = useTexts();
  return (
    <>
      <p role="status" className="hint">
        {problems.length > 0 && texts.problems(problems.length)}
      </p>
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map((problem) => (
            <li key={`${problem.from} ${texts.problem(problem.what)}`}>
              <Button look="quiet" onPress={() => onGoTo(problem)}>
                {texts.line(problem.line)}
              </Button>{' '}
              {texts.problem(problem.what)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
