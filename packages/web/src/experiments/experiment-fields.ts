import type { ReactNode } from 'react';
import type { FieldDescriptor } from '../forms/form-field.tsx';

export const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'name',
  label: 'Name',
  hint: 'Cannot be changed later',
  isRequired: true,
  isFirst: true,
};
export const descriptionField: FieldDescriptor = {
  kind: 'text',
  name: 'description',
  label: 'Description',
  isLong: true,
};
export const tagsField = {
  kind: 'tags',
  name: 'tags',
  label: 'Tags',
  hint: 'Enter or a comma ends a tag',
} as const satisfies FieldDescriptor;

/** The fault of a field as its rule names it. */
export const faultOf = (error: ReactNode): string | null => (typeof error === 'string' ? error : null);
