/** Asks etcd to end a watch at a member that has lost its leader, which would otherwise answer and send no events. */
import type { WatchClient } from 'etcd3';

type Options = NonNullable<Parameters<WatchClient['watch']>[0]>;
type Interceptor = NonNullable<Options['interceptors']>[number];

/** Its type asks for the class of the package, which calls only what the interface has. */
const isCall = (call: object): call is ReturnType<Interceptor> => 'cancelWithStatus' in call;

/** The member ends the stream with `etcdserver: no leader` three election timeouts after it lost the leader, or at once. */
const requireLeader: Interceptor = (options, next) => {
  const call = next(options);
  const start = call.start.bind(call);
  call.start = (metadata, listener) => {
    metadata.set('hasleader', 'true');
    start(metadata, listener);
  };
  if (!isCall(call)) throw new Error('the gRPC package gave a call that cannot be cancelled');
  return call;
};

export const WITH_LEADER: Options = { interceptors: [requireLeader] };
