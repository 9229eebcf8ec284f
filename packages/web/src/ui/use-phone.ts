import { useMediaQuery } from '@mantine/hooks';

/** The same as Mantine's breakpoint `sm`, below which the navigation is closed. */
const phoneQuery = '(max-width: 47.99em)';

/** Whether the window is as narrow as that of a phone. */
export const usePhone = (): boolean => useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false });
