// The companies of the demo. All are invented, and their domains end in .example, which belongs to nobody (RFC 2606).

export interface Company {
  /** The domain without its ending; the company's name in the story. */
  readonly key: string;
  readonly name: string;
  readonly industry: string;
  readonly city: string;
  readonly country: string;
  readonly countryCode: string;
  readonly timezone: string;
  readonly employees: number;
  readonly founded: number;
  readonly type: 'private' | 'public' | 'partnership' | 'nonprofit';
  readonly description: string;
}

type Row = readonly [
  key: string,
  name: string,
  industry: string,
  place: readonly [city: string, country: string, countryCode: string, timezone: string],
  size: readonly [employees: number, founded: number, type: Company['type']],
  description: string,
];

const rows: readonly Row[] = [
  [
    'brightmoor',
    'Brightmoor Instruments',
    'Medical devices',
    ['Leeds', 'United Kingdom', 'GB', 'Europe/London'],
    [420, 1987, 'private'],
    'Makes imaging tables and surgical lamps for hospitals in eleven countries.',
  ],
  [
    'kestrelvane',
    'Kestrel & Vane Logistics',
    'Logistics',
    ['Rotterdam', 'Netherlands', 'NL', 'Europe/Amsterdam'],
    [1_350, 1974, 'private'],
    'Runs six warehouses between the port and the Rhine, and the lorries that link them.',
  ],
  [
    'solvanghavbruk',
    'Solvang Havbruk',
    'Aquaculture',
    ['Bergen', 'Norway', 'NO', 'Europe/Oslo'],
    [210, 1996, 'private'],
    'Farms trout and kelp on the west coast, and sells most of it within two days.',
  ],
  [
    'tessaro',
    'Tessaro Ceramiche',
    'Building materials',
    ['Faenza', 'Italy', 'IT', 'Europe/Rome'],
    [165, 1958, 'private'],
    'Third generation of a family that fires tiles, now mostly for restorers.',
  ],
  [
    'quintalverde',
    'Quintal Verde',
    'Food and beverage',
    ['Porto', 'Portugal', 'PT', 'Europe/Lisbon'],
    [88, 2009, 'partnership'],
    'Preserves, oils and dried fruit from forty smallholders along the Douro.',
  ],
  [
    'wierzbameble',
    'Wierzba Meble',
    'Furniture',
    ['Poznań', 'Poland', 'PL', 'Europe/Warsaw'],
    [540, 1992, 'private'],
    'School and library furniture, delivered flat and assembled on site.',
  ],
  [
    'lindenkamp',
    'Lindenkamp Werkzeugbau',
    'Machinery',
    ['Bielefeld', 'Germany', 'DE', 'Europe/Berlin'],
    [310, 1949, 'private'],
    'Builds punching tools for makers of hinges, locks and household goods.',
  ],
  [
    'maisonarvelle',
    'Maison Arvelle',
    'Textiles',
    ['Lyon', 'France', 'FR', 'Europe/Paris'],
    [130, 1921, 'private'],
    'Weaves silk linings and sells them to fashion houses by the metre.',
  ],
  [
    'nakatori',
    'Nakatori Precision',
    'Machinery',
    ['Nagoya', 'Japan', 'JP', 'Asia/Tokyo'],
    [780, 1963, 'public'],
    'Bearings and spindles for machine tools, ground to a thousandth of a millimetre.',
  ],
  [
    'sundervale',
    'Sundervale Solar',
    'Renewable energy',
    ['Pune', 'India', 'IN', 'Asia/Kolkata'],
    [640, 2011, 'private'],
    'Plans, builds and looks after rooftop plants of factories and hospitals.',
  ],
  [
    'harbourline',
    'Harbourline Freight',
    'Logistics',
    ['Halifax', 'Canada', 'CA', 'America/Halifax'],
    [275, 1981, 'private'],
    'Forwards refrigerated goods across the North Atlantic.',
  ],
  [
    'cobrealto',
    'Cobrealto Servicios',
    'Mining services',
    ['Antofagasta', 'Chile', 'CL', 'America/Santiago'],
    [950, 1999, 'private'],
    'Keeps pumps and conveyors of copper mines running, day and night.',
  ],
  [
    'baobabledger',
    'Baobab Ledger',
    'Financial technology',
    ['Nairobi', 'Kenya', 'KE', 'Africa/Nairobi'],
    [120, 2016, 'private'],
    'Bookkeeping for market traders, on the telephones that they already have.',
  ],
  [
    'redgumhealth',
    'Redgum Health',
    'Health care',
    ['Adelaide', 'Australia', 'AU', 'Australia/Adelaide'],
    [1_900, 1978, 'nonprofit'],
    'Community clinics and home nursing in South Australia.',
  ],
  [
    'prairiefinch',
    'Prairie Finch Credit Union',
    'Banking',
    ['Des Moines', 'United States', 'US', 'America/Chicago'],
    [230, 1938, 'nonprofit'],
    'Owned by sixty thousand members, most of whom it knows by name.',
  ],
  [
    'tideglass',
    'Tideglass Studios',
    'Media',
    ['Portland', 'United States', 'US', 'America/Los_Angeles'],
    [64, 2014, 'private'],
    'Animated films for museums and aquariums.',
  ],
  [
    'vireolearning',
    'Vireo Learning',
    'Education',
    ['Austin', 'United States', 'US', 'America/Chicago'],
    [145, 2012, 'private'],
    'Courses for electricians and plumbers who prepare for their licence.',
  ],
  [
    'miradalhoteles',
    'Miradal Hoteles',
    'Hospitality',
    ['Sevilla', 'Spain', 'ES', 'Europe/Madrid'],
    [820, 1985, 'private'],
    'Fourteen small hotels in old town houses.',
  ],
  [
    'amberfield',
    'Amberfield Water',
    'Utilities',
    ['Cork', 'Ireland', 'IE', 'Europe/Dublin'],
    [390, 2003, 'public'],
    'Measures and repairs the mains of seven counties.',
  ],
  [
    'saebyeokbio',
    'Saebyeok Bio',
    'Biotechnology',
    ['Daejeon', 'South Korea', 'KR', 'Asia/Seoul'],
    [95, 2017, 'private'],
    'Enzymes for paper mills, grown in tanks instead of pumped from wells.',
  ],
  [
    'lagoaclara',
    'Lagoa Clara Energia',
    'Renewable energy',
    ['Florianópolis', 'Brazil', 'BR', 'America/Sao_Paulo'],
    [480, 2007, 'private'],
    'Small hydro plants and the lines that carry their power to the coast.',
  ],
  [
    'norrglim',
    'Norrglim System',
    'Software',
    ['Umeå', 'Sweden', 'SE', 'Europe/Stockholm'],
    [56, 2018, 'private'],
    'Plans the routes of snow ploughs for municipalities.',
  ],
  [
    'zeytindal',
    'Zeytindal Tekstil',
    'Textiles',
    ['İzmir', 'Türkiye', 'TR', 'Europe/Istanbul'],
    [1_100, 1989, 'private'],
    'Organic cotton towels and bed linen for hotels.',
  ],
  [
    'kauriport',
    'Kauriport Dairy',
    'Food and beverage',
    ['Hamilton', 'New Zealand', 'NZ', 'Pacific/Auckland'],
    [350, 1968, 'partnership'],
    'A cooperative of two hundred farms that makes butter and milk powder.',
  ],
  [
    'mtkvarimaps',
    'Mtkvari Maps',
    'Geographic data',
    ['Tbilisi', 'Georgia', 'GE', 'Asia/Tbilisi'],
    [38, 2015, 'private'],
    'Surveys mountain roads and sells maps that are right after the winter, too.',
  ],
  [
    'thistledown',
    'Thistledown Mutual',
    'Insurance',
    ['Edinburgh', 'United Kingdom', 'GB', 'Europe/London'],
    [710, 1902, 'nonprofit'],
    'Insures churches, village halls and small charities.',
  ],
];

export const companies: readonly Company[] = rows.map(([key, name, industry, place, size, description]) => {
  const [city, country, countryCode, timezone] = place;
  const [employees, founded, type] = size;
  return { key, name, industry, city, country, countryCode, timezone, employees, founded, type, description };
});
