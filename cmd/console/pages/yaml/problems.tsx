import type { Problem } from '../../client/schema/problems.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';

export interface Props {
  readonly problems: readonly Problem[];
  readonly onGoTo: (problem: Problem) => void;
}

/** What is wrong with the text, line by line; how much of it is told to screen readers. */
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
