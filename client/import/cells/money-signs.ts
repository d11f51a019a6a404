// The signs that people write for currencies. Many currencies share one: such a sign is read only where the currency is
// known otherwise, so that no amount gets a wrong one.

/** In lower case, with the currencies that it may mean. */
const signs: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '€': 'EUR',
    '£': 'GBP',
    '¥': 'JPY CNY',
    '￥': 'JPY CNY',
    '₹': 'INR',
    '₩': 'KRW',
    '₪': 'ILS',
    '₫': 'VND',
    '₱': 'PHP',
    '₺': 'TRY',
    '₽': 'RUB',
    '₴': 'UAH',
    '฿': 'THB',
    zł: 'PLN',
    kč: 'CZK',
    ft: 'HUF',
    lei: 'RON',
    'fr.': 'CHF',
    r$: 'BRL',
    kr: 'SEK NOK DKK ISK',
    'kr.': 'SEK NOK DKK ISK',
    $: 'USD AUD CAD NZD SGD HKD MXN TWD ARS CLP COP UYU',
    us$: 'USD',
    a$: 'AUD',
    c$: 'CAD',
    ca$: 'CAD',
    nz$: 'NZD',
    s$: 'SGD',
    hk$: 'HKD',
    mx$: 'MXN',
  }).map(([sign, codes]) => [sign, codes.split(' ')]),
);

/** The currencies that the sign may mean; undefined if it is not known. */
export function currenciesOf(sign: string): readonly string[] | undefined {
  return signs.get(sign.trim().toLowerCase());
}
