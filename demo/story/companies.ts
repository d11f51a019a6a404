// The companies of the demo. All are invented, and their domains end in .example, which belongs to nobody (RFC 2606).

export interface Company {
  /** The domain without its ending; other parts of the story name the company by it. */
  readonly key: string;
  readonly name: string;
  readonly industry: string;
  readonly place: {
    readonly city: string;
    readonly country: string;
    readonly countryCode: string;
    readonly timezone: string;
  };
  readonly size: {
    readonly employees: number;
    readonly founded: number;
    readonly type: 'private' | 'public' | 'partnership' | 'nonprofit';
  };
  readonly description: string;
}

export const companies: readonly Company[] = [
  {
    key: 'brightmoor',
    name: 'Brightmoor Instruments',
    industry: 'Medical devices',
    place: { city: 'Leeds', country: 'United Kingdom', countryCode: 'GB', timezone: 'Europe/London' },
    size: { employees: 420, founded: 1987, type: 'private' },
    description: 'Makes imaging tables and surgical lamps for hospitals in eleven countries.',
  },
  {
    key: 'kestrelvane',
    name: 'Kestrel & Vane Logistics',
    industry: 'Logistics',
    place: { city: 'Rotterdam', country: 'Netherlands', countryCode: 'NL', timezone: 'Europe/Amsterdam' },
    size: { employees: 1_350, founded: 1974, type: 'private' },
    description: 'Runs six warehouses between the port and the Rhine, and the lorries that link them.',
  },
  {
    key: 'solvanghavbruk',
    name: 'Solvang Havbruk',
    industry: 'Aquaculture',
    place: { city: 'Bergen', country: 'Norway', countryCode: 'NO', timezone: 'Europe/Oslo' },
    size: { employees: 210, founded: 1996, type: 'private' },
    description: 'Farms trout and kelp on the west coast, and sells most of it within two days.',
  },
  {
    key: 'tessaro',
    name: 'Tessaro Ceramiche',
    industry: 'Building materials',
    place: { city: 'Faenza', country: 'Italy', countryCode: 'IT', timezone: 'Europe/Rome' },
    size: { employees: 165, founded: 1958, type: 'private' },
    description: 'Third generation of a family that fires tiles, now mostly for restorers.',
  },
  {
    key: 'quintalverde',
    name: 'Quintal Verde',
    industry: 'Food and beverage',
    place: { city: 'Porto', country: 'Portugal', countryCode: 'PT', timezone: 'Europe/Lisbon' },
    size: { employees: 88, founded: 2009, type: 'partnership' },
    description: 'Preserves, oils and dried fruit from forty smallholders along the Douro.',
  },
  {
    key: 'wierzbameble',
    name: 'Wierzba Meble',
    industry: 'Furniture',
    place: { city: 'Poznań', country: 'Poland', countryCode: 'PL', timezone: 'Europe/Warsaw' },
    size: { employees: 540, founded: 1992, type: 'private' },
    description: 'School and library furniture, delivered flat and assembled on site.',
  },
  {
    key: 'lindenkamp',
    name: 'Lindenkamp Werkzeugbau',
    industry: 'Machinery',
    place: { city: 'Bielefeld', country: 'Germany', countryCode: 'DE', timezone: 'Europe/Berlin' },
    size: { employees: 310, founded: 1949, type: 'private' },
    description: 'Builds punching tools for makers of hinges, locks and household goods.',
  },
  {
    key: 'maisonarvelle',
    name: 'Maison Arvelle',
    industry: 'Textiles',
    place: { city: 'Lyon', country: 'France', countryCode: 'FR', timezone: 'Europe/Paris' },
    size: { employees: 130, founded: 1921, type: 'private' },
    description: 'Weaves silk linings and sells them to fashion houses by the metre.',
  },
  {
    key: 'nakatori',
    name: 'Nakatori Precision',
    industry: 'Machinery',
    place: { city: 'Nagoya', country: 'Japan', countryCode: 'JP', timezone: 'Asia/Tokyo' },
    size: { employees: 780, founded: 1963, type: 'public' },
    description: 'Bearings and spindles for machine tools, ground to a thousandth of a millimetre.',
  },
  {
    key: 'sundervale',
    name: 'Sundervale Solar',
    industry: 'Renewable energy',
    place: { city: 'Pune', country: 'India', countryCode: 'IN', timezone: 'Asia/Kolkata' },
    size: { employees: 640, founded: 2011, type: 'private' },
    description: 'Plans, builds and looks after rooftop plants of factories and hospitals.',
  },
  {
    key: 'harbourline',
    name: 'Harbourline Freight',
    industry: 'Logistics',
    place: { city: 'Halifax', country: 'Canada', countryCode: 'CA', timezone: 'America/Halifax' },
    size: { employees: 275, founded: 1981, type: 'private' },
    description: 'Forwards refrigerated goods across the North Atlantic.',
  },
  {
    key: 'cobrealto',
    name: 'Cobrealto Servicios',
    industry: 'Mining services',
    place: { city: 'Antofagasta', country: 'Chile', countryCode: 'CL', timezone: 'America/Santiago' },
    size: { employees: 950, founded: 1999, type: 'private' },
    description: 'Keeps pumps and conveyors of copper mines running, day and night.',
  },
  {
    key: 'baobabledger',
    name: 'Baobab Ledger',
    industry: 'Financial technology',
    place: { city: 'Nairobi', country: 'Kenya', countryCode: 'KE', timezone: 'Africa/Nairobi' },
    size: { employees: 120, founded: 2016, type: 'private' },
    description: 'Bookkeeping for market traders, on the telephones that they already have.',
  },
  {
    key: 'redgumhealth',
    name: 'Redgum Health',
    industry: 'Health care',
    place: { city: 'Adelaide', country: 'Australia', countryCode: 'AU', timezone: 'Australia/Adelaide' },
    size: { employees: 1_900, founded: 1978, type: 'nonprofit' },
    description: 'Community clinics and home nursing in South Australia.',
  },
  {
    key: 'prairiefinch',
    name: 'Prairie Finch Credit Union',
    industry: 'Banking',
    place: { city: 'Des Moines', country: 'United States', countryCode: 'US', timezone: 'America/Chicago' },
    size: { employees: 230, founded: 1938, type: 'nonprofit' },
    description: 'Owned by sixty thousand members, most of whom it knows by name.',
  },
  {
    key: 'tideglass',
    name: 'Tideglass Studios',
    industry: 'Media',
    place: { city: 'Portland', country: 'United States', countryCode: 'US', timezone: 'America/Los_Angeles' },
    size: { employees: 64, founded: 2014, type: 'private' },
    description: 'Animated films for museums and aquariums.',
  },
  {
    key: 'vireolearning',
    name: 'Vireo Learning',
    industry: 'Education',
    place: { city: 'Austin', country: 'United States', countryCode: 'US', timezone: 'America/Chicago' },
    size: { employees: 145, founded: 2012, type: 'private' },
    description: 'Courses for electricians and plumbers who prepare for their licence.',
  },
  {
    key: 'miradalhoteles',
    name: 'Miradal Hoteles',
    industry: 'Hospitality',
    place: { city: 'Sevilla', country: 'Spain', countryCode: 'ES', timezone: 'Europe/Madrid' },
    size: { employees: 820, founded: 1985, type: 'private' },
    description: 'Fourteen small hotels in old town houses.',
  },
  {
    key: 'amberfield',
    name: 'Amberfield Water',
    industry: 'Utilities',
    place: { city: 'Cork', country: 'Ireland', countryCode: 'IE', timezone: 'Europe/Dublin' },
    size: { employees: 390, founded: 2003, type: 'public' },
    description: 'Measures and repairs the mains of seven counties.',
  },
  {
    key: 'saebyeokbio',
    name: 'Saebyeok Bio',
    industry: 'Biotechnology',
    place: { city: 'Daejeon', country: 'South Korea', countryCode: 'KR', timezone: 'Asia/Seoul' },
    size: { employees: 95, founded: 2017, type: 'private' },
    description: 'Enzymes for paper mills, grown in tanks instead of pumped from wells.',
  },
  {
    key: 'lagoaclara',
    name: 'Lagoa Clara Energia',
    industry: 'Renewable energy',
    place: { city: 'Florianópolis', country: 'Brazil', countryCode: 'BR', timezone: 'America/Sao_Paulo' },
    size: { employees: 480, founded: 2007, type: 'private' },
    description: 'Small hydro plants and the lines that carry their power to the coast.',
  },
  {
    key: 'norrglim',
    name: 'Norrglim System',
    industry: 'Software',
    place: { city: 'Umeå', country: 'Sweden', countryCode: 'SE', timezone: 'Europe/Stockholm' },
    size: { employees: 56, founded: 2018, type: 'private' },
    description: 'Plans the routes of snow ploughs for municipalities.',
  },
  {
    key: 'zeytindal',
    name: 'Zeytindal Tekstil',
    industry: 'Textiles',
    place: { city: 'İzmir', country: 'Türkiye', countryCode: 'TR', timezone: 'Europe/Istanbul' },
    size: { employees: 1_100, founded: 1989, type: 'private' },
    description: 'Organic cotton towels and bed linen for hotels.',
  },
  {
    key: 'kauriport',
    name: 'Kauriport Dairy',
    industry: 'Food and beverage',
    place: { city: 'Hamilton', country: 'New Zealand', countryCode: 'NZ', timezone: 'Pacific/Auckland' },
    size: { employees: 350, founded: 1968, type: 'partnership' },
    description: 'A cooperative of two hundred farms that makes butter and milk powder.',
  },
  {
    key: 'mtkvarimaps',
    name: 'Mtkvari Maps',
    industry: 'Geographic data',
    place: { city: 'Tbilisi', country: 'Georgia', countryCode: 'GE', timezone: 'Asia/Tbilisi' },
    size: { employees: 38, founded: 2015, type: 'private' },
    description: 'Surveys mountain roads and sells maps that are right after the winter, too.',
  },
  {
    key: 'thistledown',
    name: 'Thistledown Mutual',
    industry: 'Insurance',
    place: { city: 'Edinburgh', country: 'United Kingdom', countryCode: 'GB', timezone: 'Europe/London' },
    size: { employees: 710, founded: 1902, type: 'nonprofit' },
    description: 'Insures churches, village halls and small charities.',
  },
];
