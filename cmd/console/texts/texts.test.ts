import { describe, expect, test } from '@jest/globals';
import { de } from './de.js';
import { en, type Texts } from './en.js';

/** Texts with a count, by their paths. */
const counts = (texts: Texts): Readonly<Record<string, (count: number) => string>> => ({
  secrets: (count) => texts.secrets.count(count, count),
  someSecrets: (count) => texts.secrets.count(0, count),
  spaces: (count) => texts.instances.spaces.count(count, count),
  virtualClusters: (count) => texts.instances.virtualClusters.count(count, count),
  someVirtualClusters: (count) => texts.instances.virtualClusters.count(0, count),
  users: (count) => texts.users.count(count, count),
  teams: (count) => texts.teams.count(count, count),
  rules: (count) => texts.rules.count(count, count),
  clusters: (count) => texts.clusters.count(count, count),
  projects: (count) => texts.projects.list.count(count, count),
  keys: (count) => texts.keys.count(count, count),
  ownSecrets: texts.home.kinds.sharedsecrets,
  ownKeys: texts.home.kinds.ownedaccesskeys,
  ownProjects: texts.home.kinds.projects,
  ownSpaces: texts.home.kinds.spaceinstances,
  ownVirtualClusters: texts.home.kinds.virtualclusterinstances,
  ownClusters: texts.home.kinds.clusters,
  bytes: texts.secrets.size,
  problems: texts.yaml.problems,
  ways: texts.whoCan.ways,
  events: (count) => texts.audit.count(count, 'x'),
});

const ONE: Readonly<Record<string, readonly [en: string, de: string]>> = {
  secrets: ['1 secret', '1 Geheimnis'],
  someSecrets: ['0 of 1 secret', '0 von 1 Geheimnis'],
  spaces: ['1 space', '1 Space'],
  virtualClusters: ['1 virtual cluster', '1 virtueller Cluster'],
  someVirtualClusters: ['0 of 1 virtual cluster', '0 von 1 virtuellen Cluster'],
  users: ['1 user', '1 Benutzer'],
  teams: ['1 team', '1 Team'],
  rules: ['1 group rule', '1 Gruppenregel'],
  clusters: ['1 cluster', '1 Cluster'],
  projects: ['1 project', '1 Projekt'],
  keys: ['1 access key', '1 Zugangsschlüssel'],
  ownSecrets: ['Secret', 'Geheimnis'],
  ownKeys: ['Access key', 'Zugangsschlüssel'],
  ownProjects: ['Project', 'Projekt'],
  ownSpaces: ['Space', 'Space'],
  ownVirtualClusters: ['Virtual cluster', 'Virtueller Cluster'],
  ownClusters: ['Cluster', 'Cluster'],
  bytes: ['1 byte', '1 Byte'],
  problems: ['1 problem in the text', '1 Fehler im Text'],
  ways: ['One way', 'Ein Weg'],
  events: [
    '1 event of the log of x, the newest first.',
    '1 Ereignis aus dem Protokoll von x, das neueste zuerst.',
  ],
};

describe('one of something is not many', () => {
  test.each(Object.keys(counts(en)))('%s', (name) => {
    expect([counts(en)[name]?.(1), counts(de)[name]?.(1)]).toEqual(ONE[name]);
    expect(counts(en)[name]?.(2)).toMatch(/s\b/);
  });
});
