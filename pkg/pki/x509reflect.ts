/**
 * The three functions of the metadata reflection proposal that the dependency injection of `@peculiar/x509` calls;
 * import this file before that package. Does nothing if a full polyfill is loaded.
 */
type MetadataKey = string | symbol;

interface MetadataReflect {
  getMetadata?(key: MetadataKey, target: object): unknown;
  getOwnMetadata?(key: MetadataKey, target: object): unknown;
  defineMetadata?(key: MetadataKey, value: unknown, target: object): void;
}

const reflect: typeof Reflect & MetadataReflect = Reflect;

if (reflect.getMetadata === undefined) {
  const metadata = new WeakMap<object, Map<MetadataKey, unknown>>();
  reflect.getOwnMetadata = (key, target) => metadata.get(target)?.get(key);
  reflect.getMetadata = (key, target) => {
    for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
      const own = metadata.get(at);
      if (own?.has(key) === true) return own.get(key);
    }
    return undefined;
  };
  reflect.defineMetadata = (key, value, target) => {
    const own = metadata.get(target) ?? new Map<MetadataKey, unknown>();
    metadata.set(target, own.set(key, value));
  };
}
