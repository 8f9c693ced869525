/** In the order in which they run. */
export const PLUGIN_NAMES = [
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'OwnerReferencesPermissionEnforcement',
  'ProjectQuota',
] as const;

export type PluginName = (typeof PLUGIN_NAMES)[number];

/** Admission plugins by name, and whether they run unasked. */
export const ADMISSION_PLUGINS: Readonly<Record<PluginName, { readonly byDefault: boolean }>> = {
  NamespaceAutoProvision: { byDefault: false },
  NamespaceLifecycle: { byDefault: true },
  OwnerReferencesPermissionEnforcement: { byDefault: true },
  ProjectQuota: { byDefault: true },
};

/** What the operator chose to differ from the defaults. */
export interface PluginChoice {
  readonly enabled: readonly PluginName[];
  readonly disabled: readonly PluginName[];
}

/** In the order in which they run. */
export function chosenPlugins({ enabled, disabled }: PluginChoice): PluginName[] {
  return PLUGIN_NAMES.filter((name) =>
    ADMISSION_PLUGINS[name].byDefault ? !disabled.includes(name) : enabled.includes(name),
  );
}
