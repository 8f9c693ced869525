/**
 * Credentials in the keychain of the operating system, where there is one: Keychain, Credential Manager, and on Linux
 * what serves the Secret Service. The keyring of the Linux kernel does not serve: it forgets.
 */

const SERVICE = 'management-platform';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the secret is kept now; without a keychain, or with `PLATFORM_KEYCHAIN=off`, it is not. */
export async function keepSecret(env: Environment, account: string, secret: string): Promise<boolean> {
  const entry = await entryOf(env, account);
  try {
    await entry?.setPassword(secret);
    return (await entry?.getPassword()) === secret;
  } catch {
    return false;
  }
}

/** Undefined where none is kept. */
export async function keptSecret(env: Environment, account: string): Promise<string | undefined> {
  try {
    return (await (await entryOf(env, account))?.getPassword()) ?? undefined;
  } catch {
    return undefined;
  }
}

export async function forgetSecret(env: Environment, account: string): Promise<void> {
  try {
    await (await entryOf(env, account))?.deletePassword();
  } catch {
    // Nothing is kept: that is what was wanted.
  }
}

async function entryOf(env: Environment, account: string) {
  if (env.PLATFORM_KEYCHAIN === 'off') return undefined;
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
  } catch {
    return undefined; // no keychain on this machine
  }
}
