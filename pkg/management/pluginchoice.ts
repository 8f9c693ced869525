/** Admission plugins by name, in the order in which they run, and whether they are enabled by default. */
const ADMISSION_PLUGINS = {
  NamespaceAutoProvision: { byDefault: false },
  NamespaceLifecycle: { byDefault: true },
  OwnerReferencesPermissionEnforcement: { byDefault: true },
  ProjectQuota: { byDefault: true },
} as const;

export type PluginName = keyof typeof ADMISSION_PLUGINS;

// The names of the table, which TypeScript types as strings.
export const PLUGIN_NAMES = Object.keys(ADMISSION_PLUGINS) as readonly PluginName[];

/** The operator's changes of the defaults. */
export interface PluginChoice {
  readonly enabled: readonly PluginName[];
  readonly disabled: readonly PluginName[];
}

/** In the order in which the plugins run. */
export function chosenPlugins({ enabled, disabled }: PluginChoice): PluginName[] {
  return PLUGIN_NAMES.filter((name) =>
    ADMISSION_PLUGINS[name].byDefault ? !disabled.includes(name) : enabled.includes(name),
  );
}
