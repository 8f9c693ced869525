import { useEffect, useRef, useState } from 'react';
import { placeName, type RowId } from '../../client/searchrows.js';
import { messageOf } from '../../texts/messageof.js';
import { useTexts } from '../../texts/texts.js';
import { actEach } from './acteach.js';

/** The number of failures that are told. */
const TOLD = 10;

/** An action on many objects that runs. */
export interface Running {
  /** How far it is. */
  readonly progress: string;
  readonly stop: () => void;
}

export interface Each<Item> {
  /** Rejects with a text that names those that failed, and says where it was stopped. */
  readonly run: (items: readonly Item[]) => Promise<void>;
  readonly running: Running | undefined;
}

/** Does something with each item, one after the other. It stops with the page. */
export function useEach<Item extends RowId>(act: (item: Item) => Promise<unknown>): Each<Item> {
  const texts = useTexts();
  const { lists } = texts;
  const [running, setRunning] = useState<Running>();
  const stops = useRef<AbortController>(undefined);
  useEffect(() => () => stops.current?.abort(), []);
  const run = async (items: readonly Item[]): Promise<void> => {
    const stop = new AbortController();
    stops.current = stop;
    const { tried, failed } = await actEach(items, act, stop.signal, (count) =>
      setRunning({ progress: lists.progress(count, items.length), stop: () => stop.abort() }),
    );
    setRunning(undefined);
    const which = failed
      .slice(0, TOLD)
      .map(({ item, error }) => `${placeName(item)}: ${messageOf(error, texts)}`);
    const told = [
      ...(tried < items.length ? [lists.stopped(tried, items.length)] : []),
      ...(failed.length > 0 ? [lists.failed(failed.length, which.join(' '))] : []),
    ];
    if (told.length > 0) throw new Error(told.join(' '));
  };
  return { run, running };
}
