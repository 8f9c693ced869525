import type { ObjectMeta } from '../../../../api/resource.js';
import { Commands } from '../../ui/commands.js';
import { HistorySection } from '../../ui/history.js';

export interface Props {
  readonly metadata: ObjectMeta;
  /** The commands that do the same as the page. */
  readonly commands: readonly string[];
}

/** What every page of an object ends with. */
export function ObjectEnd({ metadata, commands }: Props) {
  return (
    <>
      <HistorySection metadata={metadata} />
      <Commands lines={commands} />
    </>
  );
}
