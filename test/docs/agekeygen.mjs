// agekeygen.mjs -o FILE: writes an identity and prints its recipient, as age-keygen does.
import { writeFileSync } from 'node:fs';
import { generateIdentity, identityToRecipient } from 'age-encryption';

const identity = await generateIdentity();
const recipient = await identityToRecipient(identity);
writeFileSync(process.argv[3], `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx' });
console.error(`Public key: ${recipient}`);
