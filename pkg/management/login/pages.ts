/** The pages that a person sees. They load nothing, and run one script: the one that copies. */
import { createHash } from 'node:crypto';
import type { LoginKey } from './accesskey.js';
import type { WaitingDevice } from './device.js';
import type { AcceptedInvitation, Consent, WaitingProgram } from './flow.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --ground: #f4f6f9; --card: #fff; --line: #dde3ea; --accent: #1f5fbf; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --dim: #9aa6b5; --ground: #12161c; --card: #1b212a; --line: #303947; --accent: #7fb0ff; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: min(40rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 2rem 2.25rem; box-shadow: 0 10px 30px rgb(20 30 50 / 8%); }
h1 { margin: 0 0 .35rem; font-size: 1.45rem; letter-spacing: -.01em; }
h1.bad { color: var(--bad); }
h2 { margin: 1.6rem 0 .4rem; font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); }
p, footer { overflow-wrap: anywhere; }
p { margin: .35rem 0; color: var(--dim); }
p b { color: var(--ink); }
.row { display: flex; gap: .5rem; align-items: stretch; }
code, pre { font: 13.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .75rem; margin: 0; overflow-x: auto; }
.row { margin: .4rem 0; }
.row code { flex: 1; min-width: 0; white-space: nowrap; }
button, a.button { font: inherit; font-weight: 600; color: #fff; background: #1f5fbf; border: 0; border-radius: 8px; padding: .55rem 1rem; cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, a.button:hover { background: #174a97; }
button.plain { color: var(--ink); background: transparent; border: 1px solid var(--line); }
button.plain:hover { background: var(--ground); }
button:focus-visible, a.button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { margin-top: 1.5rem; }
.dim { color: var(--dim); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .45rem 1.2rem; margin: 1.3rem 0; padding: 1rem 1.2rem; background: var(--ground); border: 1px solid var(--line); border-radius: 10px; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 1.6rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--dim); }
`;
const SCRIPT = `
for (const button of document.querySelectorAll('button[data-copies]')) button.addEventListener('click', async () => {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
  button.textContent = 'Copied';
});
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = (formAction: string): string =>
  `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`;

/** Headers of every page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy("'none'"),
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** The key is on this page and nowhere else. `server`: its URL. */
export function keyPage({ key, name, user, expiresInSeconds }: LoginKey, server: string): string {
  const ends = `${Math.max(1, Math.round(expiresInSeconds / 360) / 10)} hours`;
  return page(
    'You are logged in',
    `<h1>You are logged in</h1>
<p>as <b>${escaped(user)}</b>. This is your access key; it is shown only now, and ends in ${escaped(ends)}.</p>
<h2>Access key</h2>
<div class="row"><code id="key">${escaped(key)}</code><button type="button" data-copies="key">Copy</button></div>
<h2>On the command line</h2>
<div class="row"><code id="line">platform login ${escaped(server)}</code><button type="button" data-copies="line">Copy</button></div>
<p>It asks for the key. Or with kubectl:</p>
<div class="row"><code id="kubectl">kubectl --server ${escaped(server)} --token ${escaped(key)} get sharedsecrets</code><button type="button" data-copies="kubectl">Copy</button></div>
<footer>The key is the object <b>${escaped(name)}</b>. Delete it to log out: <b>platform logout</b>.</footer>`,
  );
}

/** Of {@link consentPage}: its form leads to the program, by way of this server. No source of a policy can be IPv6. */
export function consentHeaders({ asks }: Consent): Readonly<Record<string, string>> {
  if (!('program' in asks)) return { ...PAGE_HEADERS, 'Content-Security-Policy': policy("'self'") };
  const { redirectUri } = asks.program;
  const { origin, hostname } = new URL(redirectUri);
  const target = hostname.startsWith('[') ? 'http:' : origin;
  return { ...PAGE_HEADERS, 'Content-Security-Policy': policy(`'self' ${target}`) };
}

interface Question {
  readonly title: string;
  /** HTML: the program or device. */
  readonly asks: string;
  /** HTML of a description list. */
  readonly facts: string;
  /** HTML: when to allow it. */
  readonly advice: string;
}

/**
 * Asks the person whether a program or a device may have a key. `action`: the target of the form; `server`: its URL.
 */
export function consentPage(consent: Consent, action: string, server: string): string {
  const { user, asks, ticket } = consent;
  if ('invitation' in asks) return invitationPage(consent, asks.invitation, action, server);
  const question = 'device' in asks ? ofDevice(asks.device) : ofProgram(asks.program);
  return page(
    question.title,
    `<h1>${question.title}</h1>
<p>${question.asks} asks for a key with which it can do everything that you can do here.</p>
<dl>
${question.facts}
<dt>Server</dt><dd>${escaped(server)}</dd>
<dt>It will act as</dt><dd><b>${escaped(user)}</b></dd>
</dl>
<p>${question.advice}</p>
${decisionForm(action, ticket, 'Allow', 'Refuse')}`,
  );
}

const decisionForm = (action: string, ticket: string, yes: string, no: string): string =>
  `<form method="post" action="${escaped(action)}">
<input type="hidden" name="ticket" value="${escaped(ticket)}">
<div class="row actions"><button type="submit">${yes}</button><button type="submit" name="decision" value="deny" class="plain">${no}</button></div>
</form>`;

/** Asks the person whether the login becomes that of the User: the provider may have chosen an account by itself. */
function invitationPage(
  { user, identity, ticket }: Consent,
  { invitedBy }: AcceptedInvitation,
  action: string,
  server: string,
): string {
  const { username, email } = identity;
  const account = email === '' || email === username ? username : `${username} (${email})`;
  const title = `Log in as ${escaped(user)} from now on?`;
  return page(
    `Log in as ${user} from now on?`,
    `<h1>${title}</h1>
<p>This connects your account at the identity provider to a user of this server.</p>
<dl>
<dt>Your account</dt><dd><b>${escaped(account)}</b></dd>
<dt>User</dt><dd><b>${escaped(user)}</b></dd>
<dt>Server</dt><dd>${escaped(server)}</dd>
<dt>Invited by</dt><dd>${escaped(invitedBy)}</dd>
</dl>
<p>Accept only if this account is yours, and you know who invited you: they may act as this user, too.</p>
${decisionForm(action, ticket, 'Accept', 'Do not accept')}`,
  );
}

/** After an invitation that was not accepted. */
export const notAcceptedPage = (): string =>
  page(
    'The invitation is still open',
    '<h1>The invitation is still open</h1>\n<p>Nothing was changed. You may close this window.</p>',
  );

function ofProgram({ redirectUri, name }: WaitingProgram): Question {
  const { port, host } = new URL(redirectUri);
  return {
    title: 'Allow this program to log in?',
    asks: 'A program on <b>this computer</b>',
    facts: `<dt>Program</dt><dd>listens at <b>${escaped(host)}</b> (port ${escaped(port || '80')})</dd>
${callsItself(name)}`,
    advice:
      'Allow it only if you have just started a login yourself, for example with <b>platform login</b>. If a website or a message brought you here, refuse.',
  };
}

function ofDevice({ userCode, name, from, at }: WaitingDevice): Question {
  return {
    title: 'Allow this device to log in?',
    asks: 'A program on <b>another device</b>',
    facts: `<dt>Code</dt><dd><b>${escaped(userCode)}</b></dd>
<dt>It asked from</dt><dd>the address <b>${escaped(from)}</b>, at ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC</dd>
${callsItself(name)}`,
    advice:
      'Allow it only if you have just started a login yourself, and the device shows <b>this code</b>. If somebody sent you this link or this code, refuse: they would get your rights.',
  };
}

const callsItself = (name: string): string =>
  name === ''
    ? ''
    : `<dt>It calls itself</dt><dd>${escaped(name)} <span class="dim">(not verified)</span></dd>`;

/** The outcome for a device. */
export function deviceDecidedPage(allowed: boolean): string {
  const title = allowed ? 'The device is logged in' : 'The device is not logged in';
  const then = allowed ? 'It fetches its key now.' : 'It gets no key.';
  return page(title, `<h1>${title}</h1>\n<p>${then} You may close this window.</p>`);
}

/** `again`: the URL to start again. */
export function failurePage(message: string, again: string): string {
  return page(
    'The login did not work',
    `<h1 class="bad">The login did not work</h1>
<p>${escaped(message)}</p>
<p><br><a class="button" href="${escaped(again)}">Log in again</a></p>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
