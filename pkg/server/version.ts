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
    minor: '37',
    emulationMajor: '1',
    emulationMinor: '37',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '36',
    gitVersion: `v1.37.0+management${SERVER_VERSION}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.versions.node}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
