/** Thousands of open requests may have the same token: within one turn of the event loop it is authenticated once for all. */
import type { Authentication, Credentials } from '../../authentication/interface.js';
import type { RequestStages } from './openrequest.js';

export interface SharedAnswers {
  /** Answers of authentication are remembered between `begin` and `end`, which lie in one turn. */
  readonly stages: RequestStages;
  begin(): void;
  end(): void;
}

export function shareAnswers(stages: RequestStages): SharedAnswers {
  let answers: Map<string, Authentication> | undefined;
  return {
    stages: {
      ...stages,
      authenticate(credentials) {
        const { authorization } = credentials;
        if (answers === undefined || authorization === undefined || !isTokenAlone(credentials))
          return stages.authenticate(credentials);
        const known = answers.get(authorization);
        if (known !== undefined) return known;
        const answer = stages.authenticate(credentials);
        if (!(answer instanceof Promise)) answers.set(authorization, answer);
        return answer;
      },
    },
    begin: () => void (answers = new Map()),
    end: () => void (answers = undefined),
  };
}

/** Whether nothing but the Authorization header decides: headers of a front proxy count with its certificate alone. */
const isTokenAlone = ({ certificate, session, cluster, audiences }: Credentials): boolean =>
  certificate === undefined && session === undefined && cluster === undefined && audiences === undefined;
