/** One server with an embedded store, on a small separate disk if the machine supports it. */
import { join } from 'node:path';
import { startServer } from '../../fixtures/servers/server.js';
import { clockFault, clockHindrance, fakeClock } from '../faults/clock.js';
import { fullDisk, mountSmallDisk, straceHindrance, syncFaults } from '../faults/disk.js';
import { mountSlowDevice, slowDevice } from '../faults/slowdevice.js';
import { serverFaults } from '../faults/servers.js';
import { bitFlips } from '../faults/flipbit.js';
import { storeFileFaults } from '../faults/storefile.js';
import { leftOutFor, type Servers, type SystemOptions } from './system.js';

export async function startEmbedded({ dist }: SystemOptions): Promise<Servers> {
  const device = await mountSlowDevice();
  const disk = 'directory' in device ? device : mountSmallDisk();
  const clock = fakeClock();
  const hasDisk = 'directory' in disk;
  const clean = (): void => {
    if (hasDisk) disk.remove();
    clock.remove();
  };
  try {
    const flags = hasDisk ? [`--data-dir=${join(disk.directory, 'data')}`] : [];
    const server = await startServer({ dist, flags, env: clock.env });
    const dataDir = join(hasDisk ? disk.directory : server.directory, 'data');
    const flips = bitFlips(server, dataDir, dist);
    const [noStrace, noClock] = [straceHindrance(), clockHindrance()];
    return {
      name: 'embedded',
      servers: [server],
      faults: [
        ...serverFaults([server]),
        ...storeFileFaults(server, dataDir),
        flips.fault,
        ...(hasDisk ? [fullDisk(disk.directory)] : []),
        ...('directory' in device ? [slowDevice(device)] : []),
        ...(noStrace === undefined ? syncFaults(server) : []),
        ...(noClock === undefined ? [clockFault([clock])] : []),
      ],
      leftOut: leftOutFor({
        'full disk': hasDisk ? undefined : disk.hindrance,
        'slow device': 'hindrance' in device ? device.hindrance : undefined,
        'slow disk, failing disk': noStrace,
        'clock jump': noClock,
      }),
      remove: () => Promise.all([server.remove(), flips.remove()]).then(clean, clean),
    };
  } catch (error) {
    clean();
    throw error;
  }
}
