/** Entries of secrets as lines that a shell reads. */
import { Failure } from '../failure.js';

/**
 * Variables that change which programs a shell or a program that it starts runs, what these load, or how the shell reads
 * commands.
 */
const STEERING = new RegExp(
  `^(${[
    // Shells, and what they start for their users.
    'PATH|HOME|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|BASH|BASH_.*|CDPATH|FPATH|FIGNORE|GLOBIGNORE|EXECIGNORE|HIST.*',
    'PS[0-4]|PROMPT.*|RPROMPT2?|RPS[12]|SPROMPT|PSVAR|POSIXLY_CORRECT|ZDOTDIR|ZSH.*|ZLS_.*|READNULLCMD|NULLCMD',
    'TMOUT|FCEDIT|EDITOR|VISUAL|PAGER|MANPAGER|MANPATH|LESS.*|BROWSER|MAILPATH|INPUTRC|TMPDIR|FISH_.*|XDG_.*',
    'path|cdpath|fpath|manpath|mailpath|module_path|fignore|prompt|psvar|fish_.*',
    // Loaders and the C library.
    'LD_.*|_RLD.*|LIBPATH|SHLIB_PATH|LIBRARY_PATH|DYLD_.*|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH',
    'NLSPATH|RES_OPTIONS|RESOLV_.*|MALLOC_.*|GLIBC_TUNABLES|TZDIR|TERMINFO.*|TERMCAP',
    // Languages and build tools.
    'PYTHON.*|PERL.*|RUBY.*|GEM_HOME|GEM_PATH|BUNDLE_(GEMFILE|PATH|BIN.*|APP_CONFIG)|BUN_(CONFIG.*|INSTALL.*)',
    'NODE_(OPTIONS|PATH|REPL.*|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|V8_COVERAGE|REDIRECT_WARNINGS|ICU_DATA|DEBUG.*)',
    'NPM_CONFIG_.*|npm_config_.*|DENO_(DIR|INSTALL.*)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|JAVA_HOME',
    'CLASSPATH|MAVEN_(OPTS|ARGS|CONFIG)|GRADLE_(OPTS|USER_HOME)|GO(PATH|ROOT|FLAGS|PROXY|TOOLCHAIN|ENV|BIN|DEBUG)',
    'CARGO_(HOME|BUILD_.*|TARGET_.*|ENCODED_RUSTFLAGS|ALIAS_.*)|RUST(C.*|FLAGS|DOC.*|UP_.*)|LUA_(C?PATH|INIT).*',
    'PHPRC|PHP_INI_SCAN_DIR|R_(PROFILE|ENVIRON|HOME|LIBS).*|TCLLIBPATH|AWKPATH|AWKLIBPATH|MAKEFLAGS|MAKEFILES|MFLAGS',
    'CC|CXX|CFLAGS|LDFLAGS|DOTNET_STARTUP_HOOKS|DOTNET_ADDITIONAL_DEPS|COR(ECLR)?_.*PROFILE.*|JULIA_.*|OCAMLRUNPARAM',
    'ERL_.*|ELIXIR_ERL_OPTIONS|GUILE_.*|JRUBY_OPTS|ANT_(OPTS|ARGS|HOME)|SBT_OPTS|PIP_CONFIG_FILE|UV_CONFIG_FILE',
    // Programs that run others.
    'GIT_(?!TOKEN$|PASSWORD$|USERNAME$).*|SSH_(ASKPASS.*|AUTH_SOCK|SK_.*)|SUDO_(ASKPASS|EDITOR|PROMPT)|SVN_(EDITOR|SSH)',
    '.*_(PAGER|EDITOR|ASKPASS)|EXINIT|VIM(INIT|RUNTIME)?|EMACSLOADPATH|GNUPGHOME|ANSIBLE_(CONFIG|LIBRARY|.*PLUGINS|.*PATHS?)|TF_CLI_.*',
    'QT_PLUGIN_PATH|GTK_.*|GIO_.*|HG(RCPATH|EDITOR|MERGE)|KUBECONFIG|KUBE_EDITOR|KUBECTL_.*|HELM_PLUGINS|DOCKER_(CONFIG|HOST|CONTEXT|CERT_PATH)',
    'AWS_(CONFIG_FILE|SHARED_CREDENTIALS_FILE)|CURL_(HOME|CA_BUNDLE)|WGETRC|TAR_OPTIONS|GREP_OPTIONS',
    'SSL_CERT_(FILE|DIR)|SSLKEYLOGFILE|OPENSSL_(CONF|MODULES|ENGINES)|REQUESTS_CA_BUNDLE',
  ].join('|')})$`,
);

/** Valid names. Most shells run no part of an invalid one, and none should try. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Which server this program asks, and as whom: a secret does not change that. */
const OF_THIS_PROGRAM = /^PLATFORM_/;

/** `NAME='value'`, for a shell to read: sh, bash, zsh and fish take the value as it is. */
export const assignment = (name: string, value: string): string => `${name}=${quoted(value)}\n`;

/** The name and the value of a variable. Throws Failure as {@link variablesOf}. */
function variable(key: string, value: Buffer, steering: boolean): [string, string] {
  const name = variableOf(key);
  const text = value.toString('utf8');
  if (!Buffer.from(text).equals(value) || text.includes('\0'))
    throw new Failure(
      'failed',
      `the value of ${name} is binary and fits no variable; read it by "platform get secret" with -o raw or -o json`,
    );
  if (OF_THIS_PROGRAM.test(name))
    throw new Failure(
      'failed',
      `${name} chooses the server and the login of this program, so no secret sets it; read it by "platform get secret" with -o raw or -o json`,
    );
  if (!steering && STEERING.test(name))
    throw new Failure(
      'failed',
      `${name} changes how a shell or its programs run, so it is not made a variable; name the variable yourself by "platform run --env", pass --allow-unsafe-env, or read it by "platform get secret" with -o raw or -o json`,
    );
  return [name, text];
}

/** A key of a secret as the name of a variable: what no name may have becomes `_`. Throws Failure for none. */
function variableOf(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9_]/g, '_');
  const name = /^[0-9]/.test(plain) ? `_${plain}` : plain;
  if (VARIABLE.test(name)) return name;
  throw new Failure(
    'failed',
    `the entry ${JSON.stringify(key)} can be no variable; read it by "platform get secret" with -o raw or -o json`,
  );
}

/** Fish reads a backslash between single quotes as an escape, so one stands outside of them. */
const quoted = (text: string): string =>
  `'${text.replace(/['\\]/g, (character) => (character === "'" ? `'\\''` : `'\\\\'`))}'`;

type Entries = readonly (readonly [string, Buffer])[];

/**
 * Entries as variables, by their names. Throws Failure for what no variable can hold, where two would be the same, for a
 * name of this program, and for one that changes how a shell runs, unless these are wanted (`steering`).
 */
export function variablesOf(entries: Entries, steering = false): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [key, value] of entries) {
    const [name, text] = variable(key, value, steering);
    if (variables.has(name))
      throw new Failure('failed', `two entries would be the variable ${name}; use -o json`);
    variables.set(name, text);
  }
  return variables;
}

/** The lines of several entries. `before` stands before each. Throws Failure as {@link variablesOf}. */
export const environmentOf = (entries: Entries, steering = false, before = ''): string =>
  [...variablesOf(entries, steering)].map(([name, text]) => before + assignment(name, text)).join('');
