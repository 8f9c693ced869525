/** What a user or a team can read, as the server tells it. */
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import type { SubjectObjectsReview } from '../../../../api/management.svc.example/v1/subjectobjectsreview.js';
import { pathOf } from '../paths.js';
import { send } from '../request.js';
import type { ApiError } from '../status.js';

/** One of the two. */
export interface Subject {
  readonly user?: string;
  readonly team?: string;
}

type Answer = NonNullable<SubjectObjectsReview['status']>;
export type Reached = NonNullable<Answer['objects']>[number];

/** Objects of one page, unless there are fewer. */
const PAGE = 100;

/** The server ends an answer after a while: an answer without objects is no end. Rejects with ApiError. */
async function readReach(subject: Subject, from: string, signal: AbortSignal): Promise<Answer> {
  const spec = { ...subject, limit: PAGE, ...(from !== '' && { continue: from }) };
  const body = { kind: 'SubjectObjectsReview', apiVersion: 'management.svc.example/v1', spec };
  const path = pathOf('subjectobjectsreviews');
  const { status } = await send<{ status: Answer }>('POST', path, { body, signal });
  const { objects = [], continue: next = '' } = status;
  return objects.length === 0 && next !== '' ? readReach(subject, next, signal) : status;
}

export const useReach = (subject: Subject): UseInfiniteQueryResult<InfiniteData<Answer>, ApiError> =>
  useInfiniteQuery({
    queryKey: ['reach', subject],
    queryFn: ({ pageParam, signal }) => readReach(subject, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue,
    // The pages are of one time; a visit of the page asks again.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
