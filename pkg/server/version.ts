/** The content of `/version` (`k8s.io/apimachinery/pkg/version.Info`); clients read `major` and `minor` as numbers. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly [member: string]: string;
}

/** The release of this server. */
export const SERVER_VERSION = '0.1.0';

/** The Kubernetes API whose behaviour the server has, with the server's own release as build metadata. */
export function versionInfo(): VersionInfo {
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion: `v1.36.0+management${SERVER_VERSION}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.versions.node}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
