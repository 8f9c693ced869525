/** Where the cluster pulls the image of the agent from. */
import { usage } from '../../failure.js';

/** The name of an image, with the host of a registry or without, and neither a tag nor a digest. */
const REPOSITORY = /^([a-z0-9.-]+(:\d+)?\/)?[a-z0-9._-]+(\/[a-z0-9._-]+)*$/;
const EXAMPLE = '--image-repository registry.example.com/management-apiserver';

interface ImageOptions {
  readonly imageRepository?: string;
  readonly chart?: string;
  readonly set: readonly string[];
}

/**
 * Values of the chart. Throws Failure, usage, where nothing names the image: the chart of the release names none that a cluster could
 * pull, and another one may.
 */
export function imageValues({ imageRepository, chart, set }: ImageOptions): string[] {
  if (imageRepository === undefined) {
    if (chart !== undefined || set.some((value) => /(^|,)image\.repository=/.test(value))) return [];
    throw usage(
      `say from where the cluster pulls the image of the agent, such as ${EXAMPLE}; where its nodes have the image already, --image-repository management-apiserver`,
    );
  }
  if (REPOSITORY.test(imageRepository)) return [`image.repository=${imageRepository}`];
  throw usage(
    `--image-repository must be an image in small letters without a tag, such as ${EXAMPLE}, and not "${imageRepository}"; a tag goes with --set image.tag=TAG`,
  );
}
