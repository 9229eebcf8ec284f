/** Shared tablets, and the PINs with which people act at them. */
export const tabletsMigration = {
  set: 'access',
  id: 5,
  name: 'shared tablets and PINs',
  up: `
    alter table people add column pin_hash text;
    alter table sessions add column tablet text;
  `,
} as const;
