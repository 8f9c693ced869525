import { useQuery } from '@tanstack/react-query';
import { pathOf, withQuery } from '../../client/paths.js';
import { USERS } from '../../client/people.js';
import { send } from '../../client/request.js';

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** As many as tell whether there is another user. */
const PATH = withQuery(pathOf(USERS), { limit: '2' });

/** Whether the server has no other user; false until it is known. `asked`: whether it is asked for at all. */
export function useAlone(asked: boolean): boolean {
  const { data = false } = useQuery({
    queryKey: ['alone'],
    queryFn: async ({ signal }) => {
      const { items } = await send<{ readonly items: readonly unknown[] }>('GET', PATH, {
        accept: METADATA,
        signal,
      });
      return items.length < 2;
    },
    enabled: asked,
    staleTime: 0,
  });
  return data;
}
