/** Commands that people look for under another name. */

/** By the words as they are typed, with what to use instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    apply: '"kubectl apply -f" for manifests',
    describe: '"platform get NOUN NAME -o yaml"',
    'get audit': '"platform audit"',
    'list audit': '"platform audit"',
    quota: '"platform set quota" and "platform list quotas"',
    'add quota': '"platform set quota"',
    'create key': '"platform create accesskey"',
    'create member': '"platform add member"',
    'create vcluster':
      '"platform import vcluster" for one that runs in a connected cluster; nothing here creates them',
    'create invitation': '"platform invite"',
    'edit invitation': '"platform invite" again',
    'create quota': '"platform set quota"',
    'create allowedcluster': '"platform allow cluster"',
    'edit member': '"platform add member" with another --role',
    'edit quota': '"platform set quota"',
    'edit allowedcluster': '"platform allow cluster" and "platform disallow cluster"',
    'delete member': '"platform remove member"',
    'delete quota': '"platform set quota NAME=", without a number',
    'delete allowedcluster': '"platform disallow cluster"',
  }),
);

/** `: use …` for an unknown command; empty if no other fits. */
export function insteadOf(argv: readonly string[], unknown: string): string {
  const word = singular(unknown);
  const before = argv[argv.indexOf(unknown) - 1];
  const instead = INSTEAD.get(`${before} ${word}`) ?? INSTEAD.get(word);
  return instead === undefined ? '' : `: use ${instead}`;
}

const singular = (word: string): string => word.replace(/s$/, '');
