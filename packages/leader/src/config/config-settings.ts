import type { ConfigSetting } from '@lcs/contract';
import { type SettingDeclaration, settings } from '@lcs/domain';

const choicesOf = ({ value }: SettingDeclaration): readonly string[] => {
  if (value.type === 'choice') return value.choices;
  return 'names' in value ? (value.names ?? []) : [];
};

function toSetting(declaration: SettingDeclaration): ConfigSetting {
  const { section, key, value, unit, needsRestart, description } = declaration;
  const isNumber = value.type === 'number' || value.type === 'integer';
  return {
    section,
    key,
    type: value.type,
    unit: unit ?? null,
    min: isNumber ? (value.min ?? null) : null,
    max: isNumber ? (value.max ?? null) : null,
    is_above_min: isNumber && value.excludesMin === true,
    choices: [...choicesOf(declaration)],
    default: declaration.default,
    needs_restart: needsRestart,
    description,
  };
}

/** The declarations of all keys, as the API returns them. */
export const configSettings = (): ConfigSetting[] => settings.map(toSetting);
