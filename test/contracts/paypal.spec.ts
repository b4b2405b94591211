import { exercisePsp } from './exercise-psp.js';
import { paypalSubject } from './paypal-subject.js';

exercisePsp('paypal', paypalSubject);
